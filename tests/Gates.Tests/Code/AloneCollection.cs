namespace Raceway.Gates.Tests.Code;

/// <summary>Tests whose program must have the processors long enough for its code to be compiled to the end: nothing runs beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection
{
    public const string Name = "alone";
}
