-- A best records the bytes of its kernel and the noise floor of its confirmation: among kernels that do not differ by
-- more than noise, the one that takes clearly less code is preferred. Earlier bests have neither, and cost alone
-- decides among them.

ALTER TABLE best ADD COLUMN code INTEGER;         -- bytes of code and constants
ALTER TABLE best ADD COLUMN noise REAL;           -- the noise floor of its confirmation
