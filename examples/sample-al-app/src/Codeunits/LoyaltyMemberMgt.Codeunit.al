codeunit 50103 "Loyalty Member Mgt."
{
    procedure CreateForCustomer(var Customer: Record Customer)
    var
        LoyaltyMember: Record "Loyalty Member";
    begin
        if Customer."Loyalty Member No." <> '' then
            Error('Customer %1 is already member %2.', Customer."No.", Customer."Loyalty Member No.");
        Customer.TestField(Name);
        LoyaltyMember.Init();
        LoyaltyMember.Name := Customer.Name;
        LoyaltyMember.Validate("Customer No.", Customer."No.");
        LoyaltyMember.Insert(true);
        Customer.Validate("Loyalty Member No.", LoyaltyMember."No.");
        Customer.Modify(true);
        Message('Member %1 was created. Schöne Grüße!', LoyaltyMember."No.");
    end;

    procedure FindByText(SearchText: Text; var LoyaltyMember: Record "Loyalty Member"): Boolean
    begin
        LoyaltyMember.SetFilter(Name, '@*' + SearchText + '*');
        exit(LoyaltyMember.FindFirst());
    end;

    procedure Merge(FromNo: Code[20]; ToNo: Code[20])
    var
        LoyaltyLedgerEntry: Record "Loyalty Ledger Entry";
    begin
        if FromNo = ToNo then
            Error('A member cannot be merged with itself.');
        if not Confirm('Merge %1 into %2?', false, FromNo, ToNo) then
            Error('');
        LoyaltyLedgerEntry.SetRange("Member No.", FromNo);
        if LoyaltyLedgerEntry.FindSet(true) then
            repeat
                LoyaltyLedgerEntry."Member No." := ToNo;
                LoyaltyLedgerEntry.Modify();
                Commit();
            until LoyaltyLedgerEntry.Next() = 0;
    end;
}
