table 50103 "Loyalty Tier"
{
    Caption = 'Loyalty Tier';
    DataClassification = CustomerContent;

    fields
    {
        field(1; Code; Code[10])
        {
            Caption = 'Code';
        }
        field(2; Description; Text[50])
        {
            Caption = 'Description';
        }
        field(3; "Points From"; Decimal)
        {
            Caption = 'Points From';

            trigger OnValidate()
            begin
                if "Points From" < 0 then
                    FieldError("Points From", MustNotBeNegativeErr);
            end;
        }
        field(4; "Bonus %"; Decimal)
        {
            Caption = 'Bonus %';

            trigger OnValidate()
            begin
                if not ("Bonus %" in [0 .. 100]) then
                    Error('%1 must be between 0 and 100, it is %2.', FieldCaption("Bonus %"), "Bonus %");
            end;
        }
    }

    keys
    {
        key(PK; Code)
        {
            Clustered = true;
        }
        key(Points; "Points From")
        {
        }
    }

    trigger OnDelete()
    var
        LoyaltyMember: Record "Loyalty Member";
    begin
        LoyaltyMember.SetRange("Tier Code", Code);
        if not LoyaltyMember.IsEmpty() then
            Error(Description);
    end;

    var
        MustNotBeNegativeErr: Label 'must not be negative';
}
