codeunit 50113 "Loyalty Install"
{
    Subtype = Install;

    trigger OnInstallAppPerCompany()
    var
        LoyaltySetup: Record "Loyalty Setup";
    begin
        if LoyaltySetup.Get() then
            exit;
        LoyaltySetup.Init();
        LoyaltySetup."Points per Amount" := 1;
        LoyaltySetup.Insert(true);
    end;
}
