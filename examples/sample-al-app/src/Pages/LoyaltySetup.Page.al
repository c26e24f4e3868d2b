page 50100 "Loyalty Setup"
{
    Caption = 'Loyalty Setup';
    PageType = Card;
    SourceTable = "Loyalty Setup";
    UsageCategory = Administration;
    ApplicationArea = All;
    InsertAllowed = false;
    DeleteAllowed = false;

    layout
    {
        area(Content)
        {
            group(General)
            {
                Caption = 'General';

                field("Member Nos."; Rec."Member Nos.")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the number series for members.';
                }
                field("Voucher Nos."; Rec."Voucher Nos.")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the number series for vouchers.';
                }
                field("Points per Amount"; Rec."Points per Amount")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies how many points one unit of the local currency brings.';
                }
            }
            group(Service)
            {
                Caption = 'Service';

                field("Service Address"; Rec."Service Address")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the address of the loyalty service.';
                }
                field("Service Key"; Rec."Service Key")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the key of the loyalty service.';
                }
            }
        }
    }

    trigger OnOpenPage()
    begin
        Rec.Reset();
        if not Rec.Get() then begin
            Rec.Init();
            Rec.Insert();
        end;
    end;
}
