codeunit 50110 "Loyalty Log"
{
    /// <summary>Has a procedure of its own with the name Error, so its bare calls are not the built-in.</summary>
    procedure Check(LoyaltyMember: Record "Loyalty Member")
    begin
        if LoyaltyMember.Name = '' then
            Error('The name is missing.', LoyaltyMember."No.");
        AddError('checked');
        ErrorCount += 1;
    end;

    procedure Error(Text: Text; Key: Code[20])
    begin
        AddError(Key + ': ' + Text);
    end;

    procedure AddError(Text: Text)
    begin
        Lines.Add(Text);
    end;

    procedure HasErrors(): Boolean
    begin
        exit(Lines.Count() > 0);
    end;

    var
        Lines: List of [Text];
        ErrorCount: Integer;
}
