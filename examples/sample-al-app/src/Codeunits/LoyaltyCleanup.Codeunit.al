codeunit 50109 "Loyalty Cleanup"
{
    procedure DeleteOldVouchers(BeforeDate: Date)
    var
        LoyaltyVoucher: Record "Loyalty Voucher";
        Deleted: Integer;
    begin
        if BeforeDate = 0D then
            Error('A date is needed.');
        LoyaltyVoucher.SetRange(Redeemed, true);
        LoyaltyVoucher.SetFilter("Valid Until", '<%1', BeforeDate);
        if LoyaltyVoucher.FindSet(true) then
            repeat
                LoyaltyVoucher.Delete();
                Deleted += 1;
            until LoyaltyVoucher.Next() = 0;
        Message(DeletedMsg, Deleted);
    end;

    procedure MembersAsCsv(): Text
    var
        LoyaltyMember: Record "Loyalty Member";
        Csv: Text;
    begin
        LoyaltyMember.SetLoadFields(Name, "Tier Code");
        if LoyaltyMember.FindSet() then
            repeat
                Csv += LoyaltyMember."No." + ';' + LoyaltyMember.Name + ';' + LoyaltyMember."Tier Code" + '\n';
            until LoyaltyMember.Next() = 0;
        exit(Csv);
    end;

    procedure FillBuffer(var PointsBuffer: Record "Points Buffer")
    var
        LoyaltyMember: Record "Loyalty Member";
    begin
        if not PointsBuffer.IsTemporary() then
            Error(NotTemporaryErr);
        PointsBuffer.DeleteAll();
        LoyaltyMember.SetLoadFields("No.");
        LoyaltyMember.SetAutoCalcFields(Points);
        if LoyaltyMember.FindSet() then
            repeat
                PointsBuffer."Member No." := LoyaltyMember."No.";
                PointsBuffer.Points := LoyaltyMember.Points;
                PointsBuffer.Insert();
            until LoyaltyMember.Next() = 0;
    end;

    var
        DeletedMsg: Label '%1 vouchers were deleted.', Comment = '%1 = number of vouchers';
        NotTemporaryErr: Label 'The buffer must be temporary.', Locked = true;
}
