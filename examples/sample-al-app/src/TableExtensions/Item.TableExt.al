tableextension 50102 "Loyalty Item" extends Item
{
    fields
    {
        field(50100; "No Loyalty Points"; Boolean)
        {
            Caption = 'No Loyalty Points';
            DataClassification = CustomerContent;
        }
    }
}
