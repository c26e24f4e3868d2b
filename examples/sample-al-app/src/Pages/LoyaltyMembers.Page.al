page 50102 "Loyalty Members"
{
    Caption = 'Loyalty Members';
    PageType = List;
    SourceTable = "Loyalty Member";
    CardPageId = "Loyalty Member Card";
    UsageCategory = Lists;
    ApplicationArea = All;
    Editable = false;

    layout
    {
        area(Content)
        {
            repeater(Members)
            {
                field("No."; Rec."No.")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the number of the member.';
                }
                field(Name; Rec.Name)
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the name of the member.';
                }
                field(PointsText; PointsText)
                {
                    ApplicationArea = All;
                    Caption = 'Points';
                    ToolTip = 'Specifies the points of the member.';
                }
                field(OpenVouchers; OpenVouchers)
                {
                    ApplicationArea = All;
                    Caption = 'Open Vouchers';
                    ToolTip = 'Specifies how many vouchers can still be redeemed.';
                }
            }
        }
    }

    trigger OnAfterGetRecord()
    var
        LoyaltyVoucher: Record "Loyalty Voucher";
    begin
        Rec.CalcFields(Points);
        PointsText := Format(Rec.Points);
        LoyaltyVoucher.SetRange("Member No.", Rec."No.");
        LoyaltyVoucher.SetRange(Redeemed, false);
        OpenVouchers := LoyaltyVoucher.Count();
    end;

    var
        PointsText: Text;
        OpenVouchers: Integer;
}
