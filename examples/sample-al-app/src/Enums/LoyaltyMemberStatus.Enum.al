enum 50101 "Loyalty Member Status"
{
    Extensible = true;

    value(0; Open) { Caption = 'Open'; }
    value(1; Active) { Caption = 'Active'; }
    value(2; Blocked) { Caption = 'Blocked'; }
}
