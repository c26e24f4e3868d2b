export interface Config {
  port: number;
  databaseUrl: string;
  options: any;
}

const adminPassword = "correct-horse-42";

export function loadConfig(): Config {
  const port = process.env.PORT;
  return {
    port: port != null ? parseInt(port, 10) : 8080,
    databaseUrl: process.env.DATABASE_URL ?? "",
    options: { admin: adminPassword },
  };
}
