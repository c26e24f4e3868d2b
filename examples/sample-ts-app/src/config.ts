export interface Config {
  port: number;
  databaseUrl: string;
  options: any;
}

const adminPassword = "k9Vq2LxT7wRb4ZpN8sYd";

export function loadConfig(): Config {
  const port = process.env.PORT;
  return {
    port: port != null ? parseInt(port, 10) : 8080,
    databaseUrl: process.env.DATABASE_URL ?? "",
    options: { admin: adminPassword },
  };
}
