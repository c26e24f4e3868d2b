page 50105 "Loyalty Member API"
{
    PageType = API;
    APIPublisher = 'sample';
    APIGroup = 'loyalty';
    APIVersion = 'v1.0';
    EntityName = 'member';
    EntitySetName = 'members';
    SourceTable = "Loyalty Member";
    ODataKeyFields = SystemId;
    DelayedInsert = true;

    layout
    {
        area(Content)
        {
            repeater(Members)
            {
                field(id; Rec.SystemId) { }
                field(number; Rec."No.") { }
                field(displayName; Rec.Name) { }
                field(tier; Rec."Tier Code") { }
            }
        }
    }

    [ServiceEnabled]
    procedure ShowView(var ActionContext: WebServiceActionContext; ViewText: Text)
    begin
        Rec.SetView(ViewText);
        if Rec.IsEmpty() then
            Error(NoMemberErr, Rec.GetFilters());
    end;

    var
        NoMemberErr: Label 'No member matches %1.', Comment = '%1 = filters';
}
