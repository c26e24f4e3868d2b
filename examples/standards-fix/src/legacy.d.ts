declare module "legacy-printer";
