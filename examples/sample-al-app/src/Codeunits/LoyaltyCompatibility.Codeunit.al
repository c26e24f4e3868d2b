codeunit 50114 "Loyalty Compatibility"
{
    #region Don't touch before the old versions are gone
    procedure CheckVersion(Version: Integer)
    begin
#if not CLEAN24
        if Version < 21 then
            Error('Version %1 is no longer supported.', Version);
#else
        if Version < 24 then
            Error(VersionErr, Version);
#endif
        /* Error('Old check'); it is
           Error('still here') as a comment */
        if Version > 99 then
            eRRor ( 'Version is ' + Format(Version) );
    end;
    #endregion

    procedure Stop(Text: Text)
    begin
        this.Log(Text);
        Dialog.Error(Text);
    end;

    local procedure Log(Text: Text)
    begin
        LastText := Text;
    end;

    var
        LastText: Text;
        VersionErr: Label 'Version %1 is not supported.', Comment = '%1 = version';
}
