page 50104 "Loyalty Vouchers"
{
    Caption = 'Loyalty Vouchers';
    PageType = List;
    SourceTable = "Loyalty Voucher";
    UsageCategory = Lists;
    ApplicationArea = All;

    layout
    {
        area(Content)
        {
            repeater(Vouchers)
            {
                field("No."; Rec."No.")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the number of the voucher.';
                }
                field("Member No."; Rec."Member No.")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the member.';
                }
                field(Amount; Rec.Amount)
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the amount of the voucher.';
                }
                field(Redeemed; Rec.Redeemed)
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies whether the voucher was used.';
                }
            }
        }
    }

    trigger OnDeleteRecord(): Boolean
    begin
        if Rec.Redeemed then
            Dialog.Error(RedeemedErr);
        exit(true);
    end;

    var
        RedeemedErr: Label 'A redeemed voucher cannot be deleted.';
}
