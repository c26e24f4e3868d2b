codeunit 50102 "Loyalty Points Calc."
{
    procedure PointsOfOrder(SalesHeader: Record "Sales Header"): Decimal
    var
        SalesLine: Record "Sales Line";
        Item: Record Item;
        Points: Decimal;
    begin
        LoyaltySetup.Get();
        SalesLine.SetRange("Document Type", SalesHeader."Document Type");
        SalesLine.SetRange("Document No.", SalesHeader."No.");
        SalesLine.SetRange(Type, SalesLine.Type::Item);
        if SalesLine.FindFirst() then
            repeat
                Item.Get(SalesLine."No.");
                if not Item."No Loyalty Points" then
                    Points += SalesLine.Amount * LoyaltySetup."Points per Amount";
            until SalesLine.Next() = 0;
        exit(Round(Points, 1));
    end;

    procedure UpdateTiers()
    var
        LoyaltyMember: Record "Loyalty Member";
        LoyaltyTier: Record "Loyalty Tier";
    begin
        LoyaltyMember.SetRange(Status, LoyaltyMember.Status::Active);
        if LoyaltyMember.FindSet() then
            repeat
                LoyaltyMember.CalcFields(Points);
                LoyaltyTier.SetCurrentKey("Points From");
                LoyaltyTier.SetFilter("Points From", '<=%1', LoyaltyMember.Points);
                if LoyaltyTier.FindLast() then
                    if LoyaltyMember."Tier Code" <> LoyaltyTier.Code then begin
                        LoyaltyMember."Tier Code" := LoyaltyTier.Code;
                        LoyaltyMember.Modify();
                    end;
            until LoyaltyMember.Next() = 0;
    end;

    procedure FirstEntryDate(MemberNo: Code[20]): Date
    var
        LoyaltyLedgerEntry: Record "Loyalty Ledger Entry";
    begin
        LoyaltyLedgerEntry.SetCurrentKey("Member No.", "Posting Date");
        LoyaltyLedgerEntry.SetRange("Member No.", MemberNo);
        if LoyaltyLedgerEntry.Find('-') then
            exit(LoyaltyLedgerEntry."Posting Date");
        Error(NoEntryErr, MemberNo);
    end;

    procedure HasVouchers(MemberNo: Code[20]): Boolean
    var
        LoyaltyVoucher: Record "Loyalty Voucher";
    begin
        LoyaltyVoucher.SetRange("Member No.", MemberNo);
        exit(LoyaltyVoucher.Count <> 0);
    end;

    var
        LoyaltySetup: Record "Loyalty Setup";
        NoEntryErr: Label 'Member %1 has no entries.', Comment = '%1 = member number';
}
