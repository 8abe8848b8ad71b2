namespace Raceway.Lab.Cli;

/// <summary>How the process ends.</summary>
internal static class ExitCode
{
    /// <summary>Everything was done.</summary>
    public const int Done = 0;

    /// <summary>Something failed on the way, or a result is wrong.</summary>
    public const int Failed = 1;

    /// <summary>The command line was wrong, or what it names: an input, an output or a process that cannot be used.</summary>
    public const int Usage = 2;

    /// <summary>Interrupted; what was measured until then was kept.</summary>
    public const int Interrupted = 130;
}
