page 50101 "Loyalty Member Card"
{
    Caption = 'Loyalty Member Card';
    PageType = Card;
    SourceTable = "Loyalty Member";

    layout
    {
        area(Content)
        {
            group(General)
            {
                Caption = 'General';

                field("No."; Rec."No.")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the number of the member.';

                    trigger OnAssistEdit()
                    begin
                        if Rec.AssistEdit(xRec) then
                            CurrPage.Update();
                    end;
                }
                field(Name; Rec.Name)
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the name of the member.';
                }
                field(Status; Rec.Status)
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies whether the member can collect points.';
                }
                field(Points; Rec.Points)
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the points of the member.';
                }
            }
        }
    }

    actions
    {
        area(Processing)
        {
            action(Activate)
            {
                ApplicationArea = All;
                Caption = 'Activate';
                Image = Approve;
                Promoted = true;
                PromotedCategory = Process;
                PromotedIsBig = true;
                ToolTip = 'Lets the member collect points.';

                trigger OnAction()
                begin
                    if not Confirm(ActivateQst, false, Rec."No.") then
                        Error('');
                    Rec.TestField(Name);
                    Rec.Status := Rec.Status::Active;
                    Rec.Modify(true);
                end;
            }
        }
    }

    var
        ActivateQst: Label 'Activate member %1?', Comment = '%1 = member number';
}
