tableextension 50101 "Loyalty Sales Header" extends "Sales Header"
{
    fields
    {
        field(50100; "Loyalty Voucher No."; Code[20])
        {
            Caption = 'Loyalty Voucher No.';
            DataClassification = CustomerContent;
            TableRelation = "Loyalty Voucher";

            trigger OnValidate()
            var
                LoyaltyValidation: Codeunit "Loyalty Validation";
            begin
                LoyaltyValidation.CheckVoucher("Loyalty Voucher No.", "Document Date");
            end;
        }
        field(50101; "Loyalty Points"; Decimal)
        {
            Caption = 'Loyalty Points';
            DataClassification = CustomerContent;
            Editable = false;
        }
    }
}
