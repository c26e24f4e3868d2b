permissionset 50100 "Loyalty All"
{
    Assignable = true;
    Caption = 'Loyalty All';
    Permissions =
        tabledata * = RIMD,
        table "Loyalty Setup" = X,
        table "Loyalty Member" = X,
        codeunit "Loyalty Post" = X,
        page "Loyalty Members" = X;
}
