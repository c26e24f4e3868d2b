table 50105 "Points Buffer"
{
    Caption = 'Points Buffer';
    DataClassification = SystemMetadata;
    TableType = Temporary;

    fields
    {
        field(1; "Member No."; Code[20])
        {
            Caption = 'Member No.';
        }
        field(2; Points; Decimal)
        {
            Caption = 'Points';
        }
    }

    keys
    {
        key(PK; "Member No.")
        {
            Clustered = true;
        }
    }
}
