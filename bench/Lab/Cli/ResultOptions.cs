namespace Raceway.Lab.Cli;

/// <summary>Names of options in result files that reports read again.</summary>
internal static class ResultOptions
{
    /// <summary>The command line, without the files it wrote.</summary>
    public const string Command = "command";

    /// <summary>Whether the tool was built with the packages that not every source carries.</summary>
    public const string PeerPackages = "peer-packages";

    /// <summary>Whether the run was a short one.</summary>
    public const string Quick = "quick";

    /// <summary>The value of an option that was given.</summary>
    public const string Yes = "true";

    /// <summary>The value of an option that was not given.</summary>
    public const string No = "false";
}
