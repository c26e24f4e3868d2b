codeunit 50107 "Loyalty Subscribers"
{
    [EventSubscriber(ObjectType::Codeunit, Codeunit::"Sales-Post", 'OnAfterPostSalesDoc', '', false, false)]
    local procedure OnAfterPostSalesDoc(var SalesHeader: Record "Sales Header"; SalesInvHdrNo: Code[20])
    var
        Customer: Record Customer;
        LoyaltyPost: Codeunit "Loyalty Post";
        LoyaltyPointsCalc: Codeunit "Loyalty Points Calc.";
    begin
        if not Customer.Get(SalesHeader."Sell-to Customer No.") then
            exit;
        if Customer."Loyalty Member No." = '' then
            exit;
        LoyaltyPost.PostEarned(Customer."Loyalty Member No.", SalesInvHdrNo, LoyaltyPointsCalc.PointsOfOrder(SalesHeader));
        Commit();
    end;

    [EventSubscriber(ObjectType::Codeunit, Codeunit::NoSeriesManagement, 'OnBeforeTestManual', '', false, false)]
    local procedure OnBeforeTestManual(DefaultNoSeriesCode: Code[20]; var IsHandled: Boolean)
    var
        LoyaltySetup: Record "Loyalty Setup";
    begin
        if not LoyaltySetup.Get() then
            exit;
        IsHandled := DefaultNoSeriesCode = LoyaltySetup."Member Nos.";
    end;

    [EventSubscriber(ObjectType::Table, Database::Customer, 'OnBeforeDeleteEvent', '', false, false)]
    local procedure OnBeforeDeleteCustomer(var Rec: Record Customer)
    begin
        if Rec.IsTemporary() then
            exit;
        if Rec."Loyalty Member No." <> '' then
            Error(MemberExistsErr, Rec."No.");
    end;

    var
        MemberExistsErr: Label 'Customer %1 is a loyalty member.', Comment = '%1 = customer number';
}
