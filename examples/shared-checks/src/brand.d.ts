declare const brand: unique symbol;
