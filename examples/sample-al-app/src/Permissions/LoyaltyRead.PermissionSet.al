permissionset 50101 "Loyalty Read"
{
    Assignable = true;
    Caption = 'Loyalty Read';
    Permissions =
        tabledata "Loyalty Setup" = R,
        tabledata "Loyalty Member" = R,
        tabledata "Loyalty Ledger Entry" = R,
        tabledata "Loyalty Tier" = R,
        tabledata "Loyalty Voucher" = R;
}
