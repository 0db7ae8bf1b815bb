// The container's health check, as the image has no curl: exit 0 if the task beside it answers that it lives.
const response = await fetch(`http://127.0.0.1:${process.env.PORT}/health/live`, { signal: AbortSignal.timeout(5000) });
process.exitCode = response.ok ? 0 : 1;
