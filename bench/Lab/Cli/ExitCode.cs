namespace Raceway.Lab.Cli;

/// <summary>How the process ends.</summary>
internal static class ExitCode
{
    /// <summary>Everything was done.</summary>
    public const int Done = 0;

    /// <summary>Something failed: input, output, or a result that is wrong.</summary>
    public const int Failed = 1;

    /// <summary>The command line was wrong, or a result file that it names is none.</summary>
    public const int Usage = 2;

    /// <summary>Interrupted; what was measured until then was kept.</summary>
    public const int Interrupted = 130;
}
