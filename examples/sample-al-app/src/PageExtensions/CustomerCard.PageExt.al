pageextension 50100 "Loyalty Customer Card" extends "Customer Card"
{
    layout
    {
        addlast(General)
        {
            field("Loyalty Member No."; Rec."Loyalty Member No.")
            {
                ApplicationArea = All;
                ToolTip = 'Specifies the loyalty membership of the customer.';
            }
        }
        addlast(FactBoxes)
        {
            part("Loyalty Attachments"; "Document Attachment Factbox")
            {
                ApplicationArea = All;
                SubPageLink = "Table ID" = const(Database::Customer), "No." = field("No.");
            }
        }
    }

    actions
    {
        addlast(Processing)
        {
            action(CreateLoyaltyMember)
            {
                ApplicationArea = All;
                Caption = 'Create Loyalty Member';
                Image = NewCustomer;
                ToolTip = 'Makes the customer a member.';

                trigger OnAction()
                var
                    LoyaltyMemberMgt: Codeunit "Loyalty Member Mgt.";
                begin
                    if Rec."Coupled to CRM" then
                        Message(CoupledMsg);
                    LoyaltyMemberMgt.CreateForCustomer(Rec);
                end;
            }
        }
    }

    var
        CoupledMsg: Label 'The customer is coupled. The membership is created in Business Central only.';
}
