codeunit 50101 "Loyalty Post"
{
    Permissions = tabledata "Loyalty Ledger Entry" = rimd;

    procedure PostEarned(MemberNo: Code[20]; DocumentNo: Code[20]; Points: Decimal)
    var
        LoyaltyMember: Record "Loyalty Member";
        LoyaltyValidation: Codeunit "Loyalty Validation";
    begin
        LoyaltyMember.Get(MemberNo);
        LoyaltyValidation.CheckMember(LoyaltyMember);
        if Points <= 0 then
            Error('Only a positive number of points can be earned.');
        InsertEntry(MemberNo, DocumentNo, "Loyalty Entry Type"::Earned, Points);
        OnAfterPostEarned(LoyaltyMember, Points);
    end;

    procedure PostRedeemed(MemberNo: Code[20]; DocumentNo: Code[20]; Points: Decimal)
    var
        Available: Decimal;
    begin
        Available := AvailablePoints(MemberNo);
        if Points > Available then
            Error(NotEnoughPointsErr,
                MemberNo,
                Format(Available, 0, '<Integer>'),
                Points);
        InsertEntry(MemberNo, DocumentNo, "Loyalty Entry Type"::Redeemed, -Points);
    end;

    procedure AvailablePoints(MemberNo: Code[20]): Decimal
    var
        LoyaltyLedgerEntry: Record "Loyalty Ledger Entry";
        Total: Decimal;
    begin
        LoyaltyLedgerEntry.SetRange("Member No.", MemberNo);
        LoyaltyLedgerEntry.SetLoadFields(Points);
        if LoyaltyLedgerEntry.FindSet() then
            repeat
                Total += LoyaltyLedgerEntry.Points;
            until LoyaltyLedgerEntry.Next() = 0;
        exit(Total);
    end;

    local procedure InsertEntry(MemberNo: Code[20]; DocumentNo: Code[20]; EntryType: Enum "Loyalty Entry Type"; Points: Decimal)
    var
        LoyaltyLedgerEntry: Record "Loyalty Ledger Entry";
    begin
        LoyaltyLedgerEntry.LockTable();
        LoyaltyLedgerEntry.Init();
        LoyaltyLedgerEntry."Member No." := MemberNo;
        LoyaltyLedgerEntry."Document No." := DocumentNo;
        LoyaltyLedgerEntry."Posting Date" := WorkDate();
        LoyaltyLedgerEntry."Entry Type" := EntryType;
        LoyaltyLedgerEntry.Points := Points;
        LoyaltyLedgerEntry.Open := Points > 0;
        LoyaltyLedgerEntry."User ID" := CopyStr(UserId(), 1, MaxStrLen(LoyaltyLedgerEntry."User ID"));
        LoyaltyLedgerEntry.Insert(true);
    end;

    [IntegrationEvent(false, false)]
    local procedure OnAfterPostEarned(var LoyaltyMember: Record "Loyalty Member"; Points: Decimal)
    begin
    end;

    var
        NotEnoughPointsErr: Label 'Member %1 has %2 points, %3 are needed.', Comment = '%1 = member number, %2 = available points, %3 = needed points';
}
