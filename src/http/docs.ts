export const documentText = (publicUrl: string): string => JSON.stringify({ publicUrl });
export const docsPage = (): string => "";
