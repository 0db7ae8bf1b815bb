import { CopyButton } from '../interface/copy-button.tsx';

/** A command to run in the repository, with a copy button. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <code className="min-w-0 grow rounded-control bg-paper px-3 py-2.5 font-mono text-sm wrap-anywhere inset-ring inset-ring-line">
        {command}
      </code>
      <CopyButton text={command} what="the command" />
    </div>
  );
}
