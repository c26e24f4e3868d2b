tableextension 50100 "Loyalty Customer" extends Customer
{
    fields
    {
        field(50100; "Loyalty Member No."; Code[20])
        {
            Caption = 'Loyalty Member No.';
            DataClassification = CustomerContent;
            TableRelation = "Loyalty Member";

            trigger OnValidate()
            var
                LoyaltyMember: Record "Loyalty Member";
            begin
                if "Loyalty Member No." = '' then
                    exit;
                if not LoyaltyMember.Get("Loyalty Member No.") then
                    ERROR('Member %1 does not exist.', "Loyalty Member No.");
                if LoyaltyMember.Status = LoyaltyMember.Status::Blocked then
                    Error('Member ' + LoyaltyMember."No." + ' is blocked.');
            end;
        }
    }
}
