namespace Raceway.Interop.Hosting;

/// <summary>What the host does when a pipeline faults at run time.</summary>
public enum FaultReaction
{
    /// <summary>The application stops, as it does for a background service that fails.</summary>
    StopApplication,

    /// <summary>The application goes on without the pipeline: publishing throws, the health check says unhealthy.</summary>
    KeepRunning,
}
