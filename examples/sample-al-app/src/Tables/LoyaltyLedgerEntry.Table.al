table 50102 "Loyalty Ledger Entry"
{
    Caption = 'Loyalty Ledger Entry';
    DataClassification = CustomerContent;
    InherentPermissions = RIMD;

    fields
    {
        field(1; "Entry No."; Integer)
        {
            Caption = 'Entry No.';
            AutoIncrement = true;
        }
        field(2; "Member No."; Code[20])
        {
            Caption = 'Member No.';
            TableRelation = "Loyalty Member";
        }
        field(3; "Posting Date"; Date)
        {
            Caption = 'Posting Date';
        }
        field(4; "Entry Type"; Enum "Loyalty Entry Type")
        {
            Caption = 'Entry Type';
        }
        field(5; Points; Decimal)
        {
            Caption = 'Points';
        }
        field(6; "Document No."; Code[20])
        {
            Caption = 'Document No.';
        }
        field(7; Description; Text[100])
        {
            Caption = 'Description';
        }
        field(8; Open; Boolean)
        {
            Caption = 'Open';
        }
        field(9; "User ID"; Code[50])
        {
            Caption = 'User ID';
            DataClassification = EndUserIdentifiableInformation;
        }
    }

    keys
    {
        key(PK; "Entry No.")
        {
            Clustered = true;
        }
        key(Member; "Member No.", "Posting Date")
        {
            SumIndexFields = Points;
        }
    }
}
