page 50103 "Loyalty Ledger Entries"
{
    Caption = 'Loyalty Ledger Entries';
    PageType = List;
    SourceTable = "Loyalty Ledger Entry";
    UsageCategory = History;
    ApplicationArea = All;
    Editable = false;

    layout
    {
        area(Content)
        {
            repeater(Entries)
            {
                field("Entry No."; Rec."Entry No.")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the number of the entry.';
                }
                field("Member No."; Rec."Member No.")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the member.';
                }
                field("Posting Date"; Rec."Posting Date")
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies when the entry was posted.';
                }
                field(Points; Rec.Points)
                {
                    ApplicationArea = All;
                    ToolTip = 'Specifies the points of the entry.';
                }
            }
        }
    }

    /// <summary>Shows the entries that a filter text of the caller selects.</summary>
    procedure SetEntryFilter(FilterText: Text)
    begin
        Rec.FilterGroup(2);
        Rec.SetFilter("Member No.", FilterText);
        Rec.FilterGroup(0);
    end;
}
