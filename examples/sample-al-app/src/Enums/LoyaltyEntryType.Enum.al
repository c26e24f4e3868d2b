enum 50100 "Loyalty Entry Type"
{
    Extensible = true;

    value(0; Earned) { Caption = 'Earned'; }
    value(1; Redeemed) { Caption = 'Redeemed'; }
    value(2; Expired) { Caption = 'Expired'; }
    value(3; Correction) { Caption = 'Correction'; }
}
