codeunit 50108 "Loyalty Numbering"
{
    procedure NumberLines(var LoyaltyVoucher: Record "Loyalty Voucher" temporary; SeriesCode: Code[20]; AtDate: Date)
    var
        LoyNoSeriesMgt: Codeunit 396;
    begin
        if LoyaltyVoucher.FindSet() then
            repeat
                LoyaltyVoucher."No." := LoyNoSeriesMgt.GetNextNo(SeriesCode, AtDate, false);
                LoyaltyVoucher.Modify();
            until LoyaltyVoucher.Next() = 0;
        LoyNoSeriesMgt.SaveNoSeries();
    end;

    procedure NextNo(SeriesCode: Code[20]; Use: Boolean): Code[20]
    begin
        exit(NoSeriesMgmt.GetNextNo(SeriesCode, WorkDate(), Use));
    end;

    procedure MayBeManual(SeriesCode: Code[20]; DocumentNo: Code[20]): Boolean
    begin
        if NoSeriesMgmt.ManualNoAllowed(SeriesCode) then
            exit(true);
        NoSeriesMgmt.TestManualWithDocumentNo(SeriesCode, DocumentNo);
    end;

    procedure ChooseSeries(DefaultSeries: Code[20]; var ChosenSeries: Code[20])
    begin
        if NoSeriesMgmt.LookupSeries(DefaultSeries, ChosenSeries) then
            NoSeriesMgmt.TestSeries(DefaultSeries, ChosenSeries);
    end;

    procedure PeekSafely(SeriesCode: Code[20]): Code[20]
    begin
        exit(NoSeriesMgmt.TryGetNextNo(SeriesCode, WorkDate()));
    end;

    var
        NoSeriesMgmt: Codeunit NoSeriesManagement;
}
