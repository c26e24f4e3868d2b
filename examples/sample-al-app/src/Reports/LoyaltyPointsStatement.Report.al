report 50100 "Loyalty Points Statement"
{
    Caption = 'Loyalty Points Statement';
    UsageCategory = ReportsAndAnalysis;
    ApplicationArea = All;
    DefaultRenderingLayout = Excel;

    dataset
    {
        dataitem(LoyaltyMember; "Loyalty Member")
        {
            RequestFilterFields = "No.", "Tier Code";
            column(No; "No.") { }
            column(Name; Name) { }
            column(Points; Points) { }

            trigger OnPreDataItem()
            begin
                if GetFilters() = '' then
                    Error(NoFilterErr);
            end;

            trigger OnAfterGetRecord()
            begin
                CalcFields(Points);
            end;
        }
    }

    rendering
    {
        layout(Excel)
        {
            Type = Excel;
            LayoutFile = 'LoyaltyPointsStatement.xlsx';
        }
    }

    var
        NoFilterErr: Label 'Set a filter first.';
}
