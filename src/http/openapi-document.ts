export const openApiDocument: string = "{}";
