codeunit 50104 "Loyalty Voucher Mgt."
{
    procedure CreateVoucher(MemberNo: Code[20]; Amount: Decimal): Code[20]
    var
        LoyaltyVoucher: Record "Loyalty Voucher";
        NoSeriesManagement: Codeunit NoSeriesManagement;
    begin
        LoyaltySetup.Get();
        LoyaltySetup.TestField("Voucher Nos.");
        if Amount <= 0 then
            Error('The amount of a voucher must be positive.');
        LoyaltyVoucher.Init();
        LoyaltyVoucher."No." := NoSeriesManagement.GetNextNo(LoyaltySetup."Voucher Nos.", WorkDate(), true);
        LoyaltyVoucher."Member No." := MemberNo;
        LoyaltyVoucher.Amount := Amount;
        LoyaltyVoucher."Valid Until" := CalcDate(LoyaltySetup."Expiry Period", WorkDate());
        LoyaltyVoucher."Public Code" := CopyStr(Format(CreateGuid(), 0, 3), 1, MaxStrLen(LoyaltyVoucher."Public Code"));
        LoyaltyVoucher.Insert(true);
        exit(LoyaltyVoucher."No.");
    end;

    procedure NextVoucherNo(): Code[20]
    var
        NoSeriesManagement: Codeunit NoSeriesManagement;
    begin
        LoyaltySetup.Get();
        exit(NoSeriesManagement.GetNextNo(LoyaltySetup."Voucher Nos.", WorkDate(), false));
    end;

    procedure Redeem(VoucherNo: Code[20])
    var
        LoyaltyVoucher: Record "Loyalty Voucher";
    begin
        if not LoyaltyVoucher.Get(VoucherNo) then
            Error(VoucherMissingErr, VoucherNo);
        LoyaltyVoucher.TestField(Redeemed, false);
        LoyaltyVoucher.Redeemed := true;
        LoyaltyVoucher.Modify(true);
        Sleep(500);
    end;

    var
        LoyaltySetup: Record "Loyalty Setup";
        VoucherMissingErr: Label 'Voucher %1 does not exist.', Comment = '%1 = voucher number';
}
