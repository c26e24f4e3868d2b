import { query } from "./database";

export enum OrderStatus {
  Open = "open",
  Paid = "paid",
  Shipped = "shipped",
}

export const enum Priority {
  Low,
  High,
}

export interface Order {
  id: string;
  status: OrderStatus;
  total: number;
  lines: Array<any>;
}

export async function findOrders(customer: string): Promise<Order[]> {
  const rows = await query("SELECT * FROM orders WHERE customer = '" + customer + "'");
  return rows as any;
}

export async function payAll(orders: Order[]): Promise<void> {
  orders.forEach(async (order) => {
    order.status = OrderStatus.Paid;
    await query("UPDATE orders SET status = $1 WHERE id = $2", [order.status, order.id]);
  });
}

export function isOpen(order: Order | null): boolean {
  return order != null && order.status == OrderStatus.Open;
}
