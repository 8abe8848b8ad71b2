using Raceway.Proof.Tests.Misuse;

// The tests are run by their host. As a program of its own this is the child of the tier that must survive an abort.
return args is ["misuse", .. string[] rest] ? MisuseProgram.Run(rest) : 0;
