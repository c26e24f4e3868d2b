codeunit 50111 "Loyalty Notification"
{
    // Benachrichtigung für Mitglieder: Grüße, Ablauf von Punkten, Gutscheine über 50 €
    procedure NotifyExpiry(LoyaltyMember: Record "Loyalty Member"; AtDate: Date)
    begin
        if LoyaltyMember."E-Mail" = '' then
            Error('Für das Mitglied gibt es keine E-Mail-Adresse.');
        if AtDate < Today() then
            Error('Die Punkte sind seit %1 ungültig (Größe: %2).', AtDate, LoyaltyMember.Points);
        Message('Die Punkte laufen am %1 ab.', AtDate);
    end;
}
