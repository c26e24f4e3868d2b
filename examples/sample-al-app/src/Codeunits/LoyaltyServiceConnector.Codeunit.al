codeunit 50106 "Loyalty Service Connector"
{
    procedure Ping()
    var
        Client: HttpClient;
        Response: HttpResponseMessage;
    begin
        Client.Get('http://loyalty.sample.invalid/ping', Response);
        LogAnswer(Response);
    end;

    procedure SendMember(LoyaltyMember: Record "Loyalty Member")
    var
        LoyaltySetup: Record "Loyalty Setup";
        Client: HttpClient;
        Request: HttpRequestMessage;
        Response: HttpResponseMessage;
        Content: HttpContent;
        Body: JsonObject;
        BodyText: Text;
        AccessToken: Text;
    begin
        LoyaltySetup.Get();
        LoyaltySetup.TestField("Service Address");
        AccessToken := 'lk_live_4f9a8b7c6d5e';
        Body.Add('number', LoyaltyMember."No.");
        Body.Add('name', LoyaltyMember.Name);
        Body.WriteTo(BodyText);
        Content.WriteFrom(BodyText);
        Request.Method := 'POST';
        Request.SetRequestUri(LoyaltySetup."Service Address");
        Request.Content := Content;
        Client.DefaultRequestHeaders().Add('Authorization', 'Bearer ' + AccessToken);
        if not Client.Send(Request, Response) then
            Error('The loyalty service cannot be reached.');
        if not Response.IsSuccessStatusCode() then
            Error(ServiceErr, Response.HttpStatusCode(), Response.ReasonPhrase());
    end;

    procedure ExportMembers()
    var
        LoyaltySetup: Record "Loyalty Setup";
        ExportId: Integer;
    begin
        LoyaltySetup.Get();
        ExportId := LoyaltySetup."Export Codeunit ID";
        Codeunit.Run(ExportId);
    end;

    local procedure LogAnswer(Response: HttpResponseMessage)
    begin
        Session.LogMessage('LOY0001', StrSubstNo(AnswerTok, Response.HttpStatusCode()), Verbosity::Normal, DataClassification::SystemMetadata, TelemetryScope::ExtensionPublisher, 'Category', 'Loyalty');
    end;

    var
        AnswerTok: Label 'Answer %1', Locked = true;
        DefaultHeaderTok: Label 'Basic bG95YWx0eTpzYW1wbGUtcGFzcw==', Locked = true;
        ServiceErr: Label 'The loyalty service answered %1 (%2).', Comment = '%1 = status code, %2 = reason';
}
