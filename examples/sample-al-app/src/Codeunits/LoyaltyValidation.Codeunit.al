codeunit 50100 "Loyalty Validation"
{
    procedure CheckVoucher(VoucherNo: Code[20]; AtDate: Date)
    var
        LoyaltyVoucher: Record "Loyalty Voucher";
        Reason: Text;
    begin
        if VoucherNo = '' then
            exit;
        if not LoyaltyVoucher.Get(VoucherNo) then
            Error('Voucher %1 does not exist.', VoucherNo);
        if LoyaltyVoucher.Redeemed then
            Error(VoucherUsedErr, LoyaltyVoucher."No.", LoyaltyVoucher."Member No.");
        if LoyaltyVoucher."Valid Until" < AtDate then begin
            Reason := StrSubstNo(VoucherExpiredTxt, LoyaltyVoucher."Valid Until");
            Error(Reason);
        end;
        // Error('The amount used to be checked here.');
        if LoyaltyVoucher.Amount <= 0 then
            LoyaltyVoucher.FieldError(Amount);
    end;

    procedure CheckMember(LoyaltyMember: Record "Loyalty Member")
    begin
        case LoyaltyMember.Status of
            LoyaltyMember.Status::Blocked:
                Error('It''s not possible (see "Status") to post for a blocked member.');
            LoyaltyMember.Status::Open: Error(NotActiveErr);
        end;
        if LoyaltyMember.Name = '' then
            Error('The member has no name. %1');
        if LoyaltyMember."E-Mail" = '' then
            Error('The member has no e-mail address.', LoyaltyMember."No.");
    end;

    procedure CheckPoints(Points: Decimal; MaxPoints: Decimal)
    begin
        if Points > MaxPoints then
            Error(StrSubstNo('At most %1 points can be used, not %2.', MaxPoints, Points));
        if Points < 0 then
            Error(StrSubstNo(GetTemplate(), Points));
        if Points = 0 then
            Error(GetEmptyText());
        if Points <> Round(Points) then
            Error(Texts[2]);
    end;

    procedure CheckImported(var ImportLog: Codeunit "Loyalty Import"; Line: Integer)
    begin
        if ImportLog.HasFailed(Line) then
            Error(ImportLog.GetReason(Line));
        if ImportLog.IsDouble(Line) then
            Error(LinePrefixTxt + Format(Line));
        if ImportLog.IsEmpty(Line) then
            Error((EmptyLineErr));
    end;

    procedure CheckService()
    begin
        ClearLastError();
        if not TryCallService() then
            Error(GetLastErrorText());
    end;

    procedure CheckWithInfo(var LoyaltyMember: Record "Loyalty Member")
    var
        MemberErrorInfo: ErrorInfo;
    begin
        if LoyaltyMember."Tier Code" = '' then
            Error(ErrorInfo.Create(NoTierErr, true, LoyaltyMember, LoyaltyMember.FieldNo("Tier Code")));
        if LoyaltyMember."Customer No." = '' then begin
            MemberErrorInfo.Message := NoCustomerErr;
            MemberErrorInfo.RecordId := LoyaltyMember.RecordId();
            Error(MemberErrorInfo);
        end;
    end;

    procedure CheckSwitch(UseLong: Boolean)
    begin
        if UseLong then
            Error(NotActiveErr)
        else
            Error(Format(UseLong, 0, 9));
    end;

    [TryFunction]
    local procedure TryCallService()
    var
        ServiceConnector: Codeunit "Loyalty Service Connector";
    begin
        ServiceConnector.Ping();
    end;

    local procedure GetTemplate(): Text
    begin
        exit('%1 points cannot be used.');
    end;

    local procedure GetEmptyText(): Text
    begin
        exit('There are no points to use; Error(''x'') is only a text here.');
    end;

    var
        Texts: array[3] of Text;
        VoucherUsedErr: Label 'Voucher %1 of member %2 has been used.', Comment = '%1 = voucher number, %2 = member number';
        VoucherExpiredTxt: Label 'The voucher was valid until %1.', Comment = '%1 = date';
        NotActiveErr: Label 'The member is not active.';
        NoTierErr: Label 'The member has no tier.';
        NoCustomerErr: Label 'The member has no customer.';
        LinePrefixTxt: Label 'Double line: ', Locked = true;
        EmptyLineErr: Label 'The line is empty.';
}
