codeunit 50115 "Loyalty Regression Checks"
{
    Subtype = Test;

    [Test]
    procedure VoucherMustExist()
    var
        LoyaltyVoucherMgt: Codeunit "Loyalty Voucher Mgt.";
    begin
        asserterror LoyaltyVoucherMgt.Redeem('UNKNOWN');
        if StrPos(GetLastErrorText(), 'UNKNOWN') = 0 then
            Error('The message does not name the voucher.');
    end;

    [Test]
    procedure AmountMustBePositive()
    var
        LoyaltyVoucherMgt: Codeunit "Loyalty Voucher Mgt.";
    begin
        asserterror LoyaltyVoucherMgt.CreateVoucher('M1', 0);
        asserterror Error('x');
    end;
}
