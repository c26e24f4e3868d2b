report 50101 "Loyalty Expire Points"
{
    Caption = 'Loyalty Expire Points';
    UsageCategory = Tasks;
    ApplicationArea = All;
    ProcessingOnly = true;

    dataset
    {
        dataitem(LoyaltyLedgerEntry; "Loyalty Ledger Entry")
        {
            DataItemTableView = sorting("Member No.", "Posting Date") where(Open = const(true));

            trigger OnPreDataItem()
            begin
                if ExpireBefore = 0D then
                    Error('Enter a date.');
                SetFilter("Posting Date", '<%1', ExpireBefore);
            end;

            trigger OnAfterGetRecord()
            var
                LoyaltyPost: Codeunit "Loyalty Post";
            begin
                LoyaltyPost.PostRedeemed("Member No.", "Document No.", Points);
                Open := false;
                Modify();
            end;
        }
    }

    requestpage
    {
        layout
        {
            area(Content)
            {
                field(ExpireBeforeField; ExpireBefore)
                {
                    ApplicationArea = All;
                    Caption = 'Expire Before';
                    ToolTip = 'Specifies the date before which points expire.';
                }
            }
        }
    }

    var
        ExpireBefore: Date;
}
