export const benchThroughHttp = async () => true;
