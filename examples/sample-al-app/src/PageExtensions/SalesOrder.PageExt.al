pageextension 50101 "Loyalty Sales Order" extends "Sales Order"
{
    layout
    {
        addlast(General)
        {
            field("Loyalty Voucher No."; Rec."Loyalty Voucher No.")
            {
                ApplicationArea = All;
                ToolTip = 'Specifies the voucher that the customer hands in.';
            }
            field("Loyalty Points"; Rec."Loyalty Points")
            {
                ApplicationArea = All;
                ToolTip = 'Specifies the points that the order brings.';
            }
        }
    }

    actions
    {
        addlast(Processing)
        {
            action(CalculateLoyaltyPoints)
            {
                ApplicationArea = All;
                Caption = 'Calculate Loyalty Points';
                Image = Calculate;
                Promoted = true;
                PromotedCategory = Process;
                PromotedOnly = true;
                ToolTip = 'Calculates the points of the order.';

                trigger OnAction()
                var
                    LoyaltyPointsCalc: Codeunit "Loyalty Points Calc.";
                begin
                    Rec."Loyalty Points" := LoyaltyPointsCalc.PointsOfOrder(Rec);
                    Rec.Modify();
                end;
            }
        }
    }
}
