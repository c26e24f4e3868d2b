codeunit 50112 "Loyalty Upgrade"
{
    Subtype = Upgrade;

    trigger OnCheckPreconditionsPerCompany()
    var
        LoyaltySetup: Record "Loyalty Setup";
    begin
        if not LoyaltySetup.Get() then
            Error('The loyalty setup is missing in company %1.', CompanyName());
    end;

    trigger OnUpgradePerCompany()
    var
        UpgradeTag: Codeunit "Upgrade Tag";
    begin
        if UpgradeTag.HasUpgradeTag(TierTagTok) then
            exit;
        MoveTiers();
        UpgradeTag.SetUpgradeTag(TierTagTok);
    end;

    local procedure MoveTiers()
    var
        LoyaltyMember: Record "Loyalty Member";
        Transfer: DataTransfer;
    begin
        Transfer.SetTables(Database::"Loyalty Member", Database::"Loyalty Member");
        Transfer.AddFieldValue(LoyaltyMember.FieldNo("Old Tier"), LoyaltyMember.FieldNo("Tier Code"));
        Transfer.AddSourceFilter(LoyaltyMember.FieldNo("Old Tier"), '<>%1', '');
        Transfer.CopyFields();
    end;

    var
        TierTagTok: Label 'SAMPLE-LOYALTY-TIER-20240301', Locked = true;
}
