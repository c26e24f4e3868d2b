table 50101 "Loyalty Member"
{
    Caption = 'Loyalty Member';
    DataClassification = CustomerContent;
    LookupPageId = "Loyalty Members";

    fields
    {
        field(1; "No."; Code[20])
        {
            Caption = 'No.';

            trigger OnValidate()
            begin
                if "No." <> xRec."No." then begin
                    LoyaltySetup.Get();
                    NoSeriesMgt.TestManual(LoyaltySetup."Member Nos.");
                    "No. Series" := '';
                end;
            end;
        }
        field(2; "Customer No."; Code[20])
        {
            Caption = 'Customer No.';
            TableRelation = Customer;

            trigger OnValidate()
            var
                Customer: Record Customer;
            begin
                if "Customer No." = '' then
                    exit;
                Customer.Get("Customer No.");
                if Customer.Blocked <> Customer.Blocked::" " then
                    Error(CustomerBlockedErr, Customer."No.", Customer.Blocked);
            end;
        }
        field(3; Name; Text[100])
        {
            Caption = 'Name';
        }
        field(4; "Birth Date"; Date)
        {
            Caption = 'Birth Date';
            DataClassification = ToBeClassified;

            trigger OnValidate()
            begin
                if "Birth Date" > Today() then
                    Error('The birth date lies in the future.');
            end;
        }
        field(5; "E-Mail"; Text[80])
        {
            Caption = 'E-Mail';
            ExtendedDatatype = EMail;
        }
        field(6; Status; Enum "Loyalty Member Status")
        {
            Caption = 'Status';
        }
        field(7; "Tier Code"; Code[10])
        {
            Caption = 'Tier Code';
            TableRelation = "Loyalty Tier";
        }
        field(8; Points; Decimal)
        {
            Caption = 'Points';
            Editable = false;
            FieldClass = FlowField;
            CalcFormula = sum("Loyalty Ledger Entry".Points where("Member No." = field("No.")));
        }
        field(9; "No. Series"; Code[20])
        {
            Caption = 'No. Series';
            TableRelation = "No. Series";
        }
        field(10; "Old Tier"; Code[10])
        {
            Caption = 'Old Tier';
            ObsoleteState = Pending;
            ObsoleteReason = 'Replaced by the field Tier Code.';
            ObsoleteTag = '1.2.0.0';
        }
    }

    keys
    {
        key(PK; "No.")
        {
            Clustered = true;
        }
        key(Customer; "Customer No.")
        {
        }
    }

    trigger OnInsert()
    begin
        if "No." = '' then begin
            LoyaltySetup.Get();
            LoyaltySetup.TestField("Member Nos.");
            NoSeriesMgt.InitSeries(LoyaltySetup."Member Nos.", xRec."No. Series", 0D, "No.", "No. Series");
        end;
    end;

    trigger OnDelete()
    var
        LoyaltyLedgerEntry: Record "Loyalty Ledger Entry";
    begin
        LoyaltyLedgerEntry.SetRange("Member No.", "No.");
        if LoyaltyLedgerEntry.Count() > 0 then
            Error(HasEntriesErr);
    end;

    procedure AssistEdit(OldMember: Record "Loyalty Member"): Boolean
    begin
        LoyaltySetup.Get();
        LoyaltySetup.TestField("Member Nos.");
        if NoSeriesMgt.SelectSeries(LoyaltySetup."Member Nos.", OldMember."No. Series", "No. Series") then begin
            NoSeriesMgt.SetSeries("No.");
            exit(true);
        end;
    end;

    var
        LoyaltySetup: Record "Loyalty Setup";
        NoSeriesMgt: Codeunit NoSeriesManagement;
        CustomerBlockedErr: Label 'Customer %1 is blocked (%2).', Comment = '%1 = customer number, %2 = kind of block';
        HasEntriesErr: Label 'A member with ledger entries cannot be deleted.';
}
