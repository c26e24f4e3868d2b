codeunit 50116 "Loyalty Post Tests"
{
    Subtype = Test;

    [Test]
    procedure EarnedPointsAreAvailable()
    var
        LoyaltyPost: Codeunit "Loyalty Post";
        Before: Decimal;
    begin
        Before := LoyaltyPost.AvailablePoints('M1');
        LoyaltyPost.PostEarned('M1', 'D1', 10);
        if LoyaltyPost.AvailablePoints('M1') <> Before + 10 then
            Error('Expected %1 points.', Before + 10);
    end;

    [Test]
    procedure NegativePointsAreRefused()
    var
        LoyaltyPost: Codeunit "Loyalty Post";
    begin
        asserterror LoyaltyPost.PostEarned('M1', 'D2', -1);
        ExpectedError('positive');
    end;

    local procedure ExpectedError(Part: Text)
    begin
        if StrPos(GetLastErrorText(), Part) = 0 then
            Error('Another error: %1', GetLastErrorText());
    end;
}
