table 50104 "Loyalty Voucher"
{
    Caption = 'Loyalty Voucher';
    DataClassification = CustomerContent;

    fields
    {
        field(1; "No."; Code[20])
        {
            Caption = 'No.';
        }
        field(2; "Member No."; Code[20])
        {
            Caption = 'Member No.';
            TableRelation = "Loyalty Member";
        }
        field(3; Amount; Decimal)
        {
            Caption = 'Amount';
        }
        field(4; "Valid Until"; Date)
        {
            Caption = 'Valid Until';
        }
        field(5; Redeemed; Boolean)
        {
            Caption = 'Redeemed';
        }
        field(6; "Public Code"; Text[30])
        {
            Caption = 'Public Code';
            DataClassification = ToBeClassified;
        }
    }

    keys
    {
        key(PK; "No.")
        {
            Clustered = true;
        }
        key(Member; "Member No.")
        {
        }
    }

    trigger OnModify()
    begin
        if xRec.Redeemed then
            Error(StrSubstNo(AlreadyRedeemedErr, "No."));
    end;

    var
        AlreadyRedeemedErr: Label 'Voucher %1 has been redeemed.', Comment = '%1 = voucher number';
}
