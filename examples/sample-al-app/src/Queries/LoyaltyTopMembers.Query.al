query 50100 "Loyalty Top Members"
{
    Caption = 'Loyalty Top Members';
    QueryType = Normal;
    OrderBy = descending(Points);

    elements
    {
        dataitem(LoyaltyLedgerEntry; "Loyalty Ledger Entry")
        {
            column(MemberNo; "Member No.") { }
            column(Points; Points)
            {
                Method = Sum;
            }
        }
    }
}
