table 50100 "Loyalty Setup"
{
    Caption = 'Loyalty Setup';
    DataClassification = CustomerContent;

    fields
    {
        field(1; "Primary Key"; Code[10])
        {
            Caption = 'Primary Key';
        }
        field(2; "Member Nos."; Code[20])
        {
            Caption = 'Member Nos.';
            TableRelation = "No. Series";
        }
        field(3; "Voucher Nos."; Code[20])
        {
            Caption = 'Voucher Nos.';
            TableRelation = "No. Series";
        }
        field(4; "Points per Amount"; Decimal)
        {
            Caption = 'Points per Amount';
            MinValue = 0;
        }
        field(5; "Service Address"; Text[250])
        {
            Caption = 'Service Address';
        }
        field(6; "Service Key"; Text[100])
        {
            Caption = 'Service Key';
            ExtendedDatatype = Masked;
        }
        field(7; "Expiry Period"; DateFormula)
        {
            Caption = 'Expiry Period';
        }
        field(8; "Export Codeunit ID"; Integer)
        {
            Caption = 'Export Codeunit ID';
        }
    }

    keys
    {
        key(PK; "Primary Key")
        {
            Clustered = true;
        }
    }
}
